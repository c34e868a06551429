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
INSERT INTO "audit" VALUES('default',1,'s19b76daa800f1c57c8b57ae','xf51ef64620dffd076d08a6a4','/map#0[1]/ask#0',NULL,'director','channel','mara','decided','"yes"',1767225600000,1767225600000,'0000000000000000000000000000000000000000000000000000000000000000','79fbafad0efe8ba22fe06b01b0a049594916f4b3ad3a1fda7ed2013853d0534c');
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
INSERT INTO "deliveries" VALUES('3c52d2528b553f4e04a6afe73dc7c77e:post','3c52d2528b553f4e04a6afe73dc7c77e','s19b76daa800f1c57c8b57ae','test','post','sent',1767225600000,0,NULL,'w8fa30745b288d9e9',1767225660000,1767225600000,1767225600000);
INSERT INTO "deliveries" VALUES('6de8b457cd8a86877aa2af20484e39e7:post','6de8b457cd8a86877aa2af20484e39e7','s19b76daa800f1c57c8b57ae','test','post','sent',1767225600000,0,NULL,'w8fa30745b288d9e9',1767225660000,1767225600000,1767225600000);
INSERT INTO "deliveries" VALUES('9b22b83e006fc5e24b557ceda4806fa3:post','9b22b83e006fc5e24b557ceda4806fa3','s19b76daa800f1c57c8b57ae','test','post','sent',1767225600000,0,NULL,'w8fa30745b288d9e9',1767225660000,1767225600000,1767225600000);
INSERT INTO "deliveries" VALUES('9b22b83e006fc5e24b557ceda4806fa3:withdraw','9b22b83e006fc5e24b557ceda4806fa3','s19b76daa800f1c57c8b57ae','test','withdraw','sent',1767225600000,0,NULL,'w8fa30745b288d9e9',1767225660000,1767225600000,1767225600000);
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
INSERT INTO "executions" VALUES('xf51ef64620dffd076d08a6a4','s19b76daa800f1c57c8b57ae',NULL,'close_month','1','6f33cb8e8ddc3a39e2bc7bdb19e825b8','running','{"content":"2026-11","from":"olga"}',NULL,1767225600000,NULL);
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
INSERT INTO "inbound" VALUES('api','m19b76daa800000000a169462a546aea62','message','default','s19b76daa800f1c57c8b57ae',NULL,'{"content":"2026-11","from":"olga"}',1767225600000,1767225600000);
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
INSERT INTO "ledger" VALUES('s19b76daa800f1c57c8b57ae',0,'xf51ef64620dffd076d08a6a4','execution_started','','{"program":"close_month","version":"1"}',1767225600000);
INSERT INTO "ledger" VALUES('s19b76daa800f1c57c8b57ae',1,'xf51ef64620dffd076d08a6a4','message_received','','{"content":"2026-11","from":"olga"}',1767225600000);
INSERT INTO "ledger" VALUES('s19b76daa800f1c57c8b57ae',2,'xf51ef64620dffd076d08a6a4','step_returned','/fetch#0','[{"name":"train","amount":"80.50","day":"2026-11-02"},{"name":"hotel","amount":"120.00","day":"2026-11-03"},{"name":"lunch","amount":"9.90","day":"2026-11-04"}]',1767225600000);
INSERT INTO "ledger" VALUES('s19b76daa800f1c57c8b57ae',3,'xf51ef64620dffd076d08a6a4','pause_opened','/map#0[0]/ask#0','{"kind":"ask","role":"director","channel":"test","prompt":"Is 80.50 of 02 November for train fine?","deadline_at_ms":null}',1767225600000);
INSERT INTO "ledger" VALUES('s19b76daa800f1c57c8b57ae',4,'xf51ef64620dffd076d08a6a4','pause_opened','/map#0[1]/ask#0','{"kind":"ask","role":"director","channel":"test","prompt":"Is 120.00 of 03 November for hotel fine?","deadline_at_ms":null}',1767225600000);
INSERT INTO "ledger" VALUES('s19b76daa800f1c57c8b57ae',5,'xf51ef64620dffd076d08a6a4','pause_opened','/map#0[2]/ask#0','{"kind":"ask","role":"director","channel":"test","prompt":"Is 9.90 of 04 November for lunch fine?","deadline_at_ms":null}',1767225600000);
INSERT INTO "ledger" VALUES('s19b76daa800f1c57c8b57ae',6,'xf51ef64620dffd076d08a6a4','pause_taken','/map#0[1]/ask#0','{"resolution":"decided","answer":"yes","responder":"mara"}',1767225600000);
INSERT INTO "ledger" VALUES('s19b76daa800f1c57c8b57ae',7,'xf51ef64620dffd076d08a6a4','step_returned','/map#0[1]/book_expense#0','"hotel: yes"',1767225600000);
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
INSERT INTO "pauses" VALUES('3c52d2528b553f4e04a6afe73dc7c77e','default','s19b76daa800f1c57c8b57ae','xf51ef64620dffd076d08a6a4','/map#0[0]/ask#0','ask','director','test','channel','olga','pending',1,'ref-0','{"prompt":"Is 80.50 of 02 November for train fine?","form":{"type":"answer","schema":{"type":"string"}},"bot":"close_month"}',1767225600000,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "pauses" VALUES('9b22b83e006fc5e24b557ceda4806fa3','default','s19b76daa800f1c57c8b57ae','xf51ef64620dffd076d08a6a4','/map#0[1]/ask#0','ask','director','test','channel','olga','taken',1,'ref-1','{"prompt":"Is 120.00 of 03 November for hotel fine?","form":{"type":"answer","schema":{"type":"string"}},"bot":"close_month"}',1767225600000,NULL,'decided','"yes"','mara',1767225600000);
INSERT INTO "pauses" VALUES('6de8b457cd8a86877aa2af20484e39e7','default','s19b76daa800f1c57c8b57ae','xf51ef64620dffd076d08a6a4','/map#0[2]/ask#0','ask','director','test','channel','olga','pending',1,'ref-2','{"prompt":"Is 9.90 of 04 November for lunch fine?","form":{"type":"answer","schema":{"type":"string"}},"bot":"close_month"}',1767225600000,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO "sessions" VALUES('s19b76daa800f1c57c8b57ae','default','olga','workspace','close_month','waiting',NULL,50,1767225600000,NULL,2,0,2,0,8,0,1767225600000,1767225600000);
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
