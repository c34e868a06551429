BEGIN TRANSACTION;
CREATE TABLE audit (
	tenant TEXT NOT NULL, 
	seq INTEGER NOT NULL, 
	session_id TEXT NOT NULL, 
	execution_id TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	pause_id TEXT, 
	role TEXT NOT NULL, 
	answerer TEXT NOT NULL, 
	responder TEXT, 
	resolution TEXT NOT NULL, 
	decision_json TEXT, 
	asked_at_ms INTEGER NOT NULL, 
	resolved_at_ms INTEGER NOT NULL, 
	previous_hash TEXT NOT NULL, 
	hash TEXT NOT NULL, 
	PRIMARY KEY (tenant, seq), 
	CONSTRAINT answerer_known CHECK (answerer IN ('owner', 'channel', 'nobody')), 
	CONSTRAINT resolution_known CHECK (resolution IN ('decided', 'replied', 'fired', 'timed_out', 'withdrawn', 'cancelled', 'undeliverable'))
)
 WITHOUT ROWID,
 STRICT

;
CREATE TABLE deliveries (
	delivery_id TEXT NOT NULL, 
	pause_id TEXT NOT NULL, 
	session_id TEXT NOT NULL, 
	channel TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	status TEXT NOT NULL, 
	due_at_ms INTEGER NOT NULL, 
	attempts INTEGER NOT NULL, 
	last_error TEXT, 
	holder TEXT, 
	held_until_ms INTEGER NOT NULL, 
	created_at_ms INTEGER NOT NULL, 
	settled_at_ms INTEGER, 
	PRIMARY KEY (delivery_id), 
	CONSTRAINT kind_known CHECK (kind IN ('post', 'withdraw')), 
	CONSTRAINT status_known CHECK (status IN ('due', 'sent', 'failed', 'dropped')), 
	CONSTRAINT id_is_derived CHECK (delivery_id = pause_id || ':' || kind), 
	CONSTRAINT settled_has_time CHECK ((status = 'due') = (settled_at_ms IS NULL))
)
 WITHOUT ROWID,
 STRICT

;
CREATE TABLE executions (
	execution_id TEXT NOT NULL, 
	session_id TEXT NOT NULL, 
	parent_id TEXT, 
	program TEXT NOT NULL, 
	version TEXT NOT NULL, 
	fingerprint TEXT NOT NULL, 
	status TEXT NOT NULL, 
	input_json TEXT NOT NULL, 
	outcome_json TEXT, 
	started_at_ms INTEGER NOT NULL, 
	ended_at_ms INTEGER, 
	PRIMARY KEY (session_id, execution_id), 
	CONSTRAINT status_known CHECK (status IN ('running', 'ended', 'failed', 'cancelled'))
)
 WITHOUT ROWID,
 STRICT

;
INSERT INTO "executions" VALUES('xddbab8a65b0afb3ec5078a69','s19b76daa8002ce4e4d028e8',NULL,'archive','1','93770c0f4b08542c6d69af0384ba4502','running','{"content":{},"from":"olga"}',NULL,1767225600000,NULL);
CREATE TABLE inbound (
	channel TEXT NOT NULL, 
	external_id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	session_id TEXT NOT NULL, 
	pause_id TEXT, 
	body_json TEXT NOT NULL, 
	received_at_ms INTEGER NOT NULL, 
	consumed_at_ms INTEGER, 
	PRIMARY KEY (channel, external_id), 
	CONSTRAINT kind_known CHECK (kind IN ('message', 'answer'))
)
 WITHOUT ROWID,
 STRICT

;
INSERT INTO "inbound" VALUES('api','m19b76daa800000000adcfd3ca65cdcc13','message','default','s19b76daa8002ce4e4d028e8',NULL,'{"content":{},"from":"olga"}',1767225600000,1767225600000);
CREATE TABLE ledger (
	session_id TEXT NOT NULL, 
	seq INTEGER NOT NULL, 
	execution_id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	body_json TEXT NOT NULL, 
	at_ms INTEGER NOT NULL, 
	PRIMARY KEY (session_id, execution_id, seq)
)
 WITHOUT ROWID,
 STRICT

;
INSERT INTO "ledger" VALUES('s19b76daa8002ce4e4d028e8',0,'xddbab8a65b0afb3ec5078a69','execution_started','','{"program":"archive","version":"1"}',1767225600000);
INSERT INTO "ledger" VALUES('s19b76daa8002ce4e4d028e8',1,'xddbab8a65b0afb3ec5078a69','message_received','','{"content":{},"from":"olga"}',1767225600000);
INSERT INTO "ledger" VALUES('s19b76daa8002ce4e4d028e8',2,'xddbab8a65b0afb3ec5078a69','value_recorded','/now#0','1767225600000',1767225600000);
INSERT INTO "ledger" VALUES('s19b76daa8002ce4e4d028e8',3,'xddbab8a65b0afb3ec5078a69','value_recorded','/random#0','0.17946519106057235',1767225600000);
INSERT INTO "ledger" VALUES('s19b76daa8002ce4e4d028e8',4,'xddbab8a65b0afb3ec5078a69','value_recorded','/uuid#0','"4cb18b6b-831c-4aae-bcda-bbfa39215926"',1767225600000);
INSERT INTO "ledger" VALUES('s19b76daa8002ce4e4d028e8',5,'xddbab8a65b0afb3ec5078a69','step_returned','/note#0','"2026-01-01 00:00:00+00:00 0.17946519106057235 4cb18b6b-831c-4aae-bcda-bbfa39215926"',1767225600000);
INSERT INTO "ledger" VALUES('s19b76daa8002ce4e4d028e8',6,'xddbab8a65b0afb3ec5078a69','pause_opened','/sleep#0','{"kind":"timer","role":"sleep","channel":"","prompt":"","deadline_at_ms":1769817600000}',1767225600000);
CREATE TABLE pauses (
	pause_id TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	session_id TEXT NOT NULL, 
	execution_id TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	role TEXT NOT NULL, 
	channel TEXT NOT NULL, 
	answerer TEXT NOT NULL, 
	owner TEXT NOT NULL, 
	status TEXT NOT NULL, 
	is_sent INTEGER NOT NULL, 
	channel_ref TEXT, 
	ask_json TEXT NOT NULL, 
	asked_at_ms INTEGER NOT NULL, 
	deadline_at_ms INTEGER, 
	resolution TEXT, 
	answer_json TEXT, 
	responder TEXT, 
	resolved_at_ms INTEGER, 
	PRIMARY KEY (pause_id), 
	CONSTRAINT kind_known CHECK (kind IN ('ask', 'timer', 'message')), 
	CONSTRAINT answerer_known CHECK (answerer IN ('owner', 'channel', 'nobody')), 
	CONSTRAINT status_known CHECK (status IN ('pending', 'resolved', 'taken', 'cancelled')), 
	CONSTRAINT resolution_known CHECK (resolution IN ('decided', 'replied', 'fired', 'timed_out', 'withdrawn', 'cancelled', 'undeliverable')), 
	CONSTRAINT closed_has_resolution CHECK ((status = 'pending') = (resolution IS NULL)), 
	CONSTRAINT closed_has_time CHECK ((status = 'pending') = (resolved_at_ms IS NULL)), 
	CONSTRAINT is_sent_flag CHECK (is_sent IN (0, 1)), 
	CONSTRAINT pauses_step UNIQUE (session_id, execution_id, "key")
)
 STRICT

;
INSERT INTO "pauses" VALUES('d7d466094e5dcd8b21b11d53eea08661','default','s19b76daa8002ce4e4d028e8','xddbab8a65b0afb3ec5078a69','/sleep#0','timer','sleep','','nobody','olga','pending',0,NULL,'{"prompt":"","form":null,"bot":"archive"}',1767225600000,1769817600000,NULL,NULL,NULL,NULL);
CREATE TABLE schema_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT schema_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "schema_version" VALUES('0001');
CREATE TABLE sessions (
	session_id TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	owner TEXT NOT NULL, 
	surface TEXT NOT NULL, 
	program TEXT NOT NULL, 
	status TEXT NOT NULL, 
	reason TEXT, 
	priority INTEGER NOT NULL, 
	due_at_ms INTEGER NOT NULL, 
	lease_holder TEXT, 
	lease_epoch INTEGER NOT NULL, 
	lease_until_ms INTEGER NOT NULL, 
	wakes INTEGER NOT NULL, 
	attempts INTEGER NOT NULL, 
	next_seq INTEGER NOT NULL, 
	is_cancel_requested INTEGER NOT NULL, 
	created_at_ms INTEGER NOT NULL, 
	updated_at_ms INTEGER NOT NULL, 
	PRIMARY KEY (session_id), 
	CONSTRAINT status_known CHECK (status IN ('ready', 'running', 'waiting', 'idle', 'blocked', 'ended', 'failed', 'cancelled')), 
	CONSTRAINT surface_known CHECK (surface IN ('chat', 'workspace')), 
	CONSTRAINT running_is_held CHECK ((status = 'running') = (lease_holder IS NOT NULL)), 
	CONSTRAINT is_cancel_requested_flag CHECK (is_cancel_requested IN (0, 1))
)
 WITHOUT ROWID,
 STRICT

;
INSERT INTO "sessions" VALUES('s19b76daa8002ce4e4d028e8','default','olga','workspace','archive','waiting',NULL,100,1767225600000,NULL,1,0,1,0,7,0,1767225600000,1767225600000);
CREATE INDEX sessions_to_claim ON sessions (priority, due_at_ms, session_id) WHERE status = 'ready';
CREATE INDEX sessions_due ON sessions (due_at_ms) WHERE status = 'ready';
CREATE INDEX sessions_leased ON sessions (lease_until_ms) WHERE status = 'running';
CREATE INDEX sessions_updated ON sessions (updated_at_ms);
CREATE INDEX executions_running ON executions (session_id) WHERE status = 'running';
CREATE INDEX pauses_deadline ON pauses (deadline_at_ms) WHERE status = 'pending' AND deadline_at_ms IS NOT NULL;
CREATE INDEX pauses_pending ON pauses (asked_at_ms) WHERE status = 'pending';
CREATE INDEX pauses_closed ON pauses (resolved_at_ms) WHERE status IN ('taken', 'cancelled');
CREATE INDEX deliveries_free ON deliveries (due_at_ms) WHERE status = 'due' AND holder IS NULL;
CREATE INDEX deliveries_held ON deliveries (held_until_ms) WHERE status = 'due' AND holder IS NOT NULL;
CREATE INDEX inbound_unread ON inbound (session_id, received_at_ms) WHERE kind = 'message' AND consumed_at_ms IS NULL;
CREATE INDEX audit_session ON audit (session_id);
COMMIT;
