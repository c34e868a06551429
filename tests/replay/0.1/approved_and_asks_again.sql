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
INSERT INTO "audit" VALUES('default',1,'s19b76daa8003dd033a4495d','xa1f45c16b9e163f351340b27','/gather#0[0]/approval#0',NULL,'refund-approval','channel','mara','decided','{"approved":true,"reason":null,"override_arguments":null}',1767225600000,1767225600000,'0000000000000000000000000000000000000000000000000000000000000000','d3ff2a5ef5550a2a0f85dd1594cb45171693de7a6c3e54340f35d927b9389416');
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
INSERT INTO "deliveries" VALUES('c34e68b79a86a6921d561a3545233d70:post','c34e68b79a86a6921d561a3545233d70','s19b76daa8003dd033a4495d','test','post','sent',1767225600000,0,NULL,'w83fd2f5a2455e8b3',1767225660000,1767225600000,1767225600000);
INSERT INTO "deliveries" VALUES('c34e68b79a86a6921d561a3545233d70:withdraw','c34e68b79a86a6921d561a3545233d70','s19b76daa8003dd033a4495d','test','withdraw','sent',1767225600000,0,NULL,'w83fd2f5a2455e8b3',1767225660000,1767225600000,1767225600000);
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
INSERT INTO "executions" VALUES('xa1f45c16b9e163f351340b27','s19b76daa8003dd033a4495d',NULL,'planner','1','b21dfe67c9e0e9697af914a08a740dce','running','{"content":"book a room","from":"olga"}',NULL,1767225600000,NULL);
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
INSERT INTO "inbound" VALUES('api','m19b76daa8000000005709c4245bb1770e','message','default','s19b76daa8003dd033a4495d',NULL,'{"content":"book a room","from":"olga"}',1767225600000,1767225600000);
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
INSERT INTO "ledger" VALUES('s19b76daa8003dd033a4495d',0,'xa1f45c16b9e163f351340b27','execution_started','','{"program":"planner","version":"1"}',1767225600000);
INSERT INTO "ledger" VALUES('s19b76daa8003dd033a4495d',1,'xa1f45c16b9e163f351340b27','message_received','','{"content":"book a room","from":"olga"}',1767225600000);
INSERT INTO "ledger" VALUES('s19b76daa8003dd033a4495d',2,'xa1f45c16b9e163f351340b27','model_replied','/model#0','{"content":"","tool_calls":[["call_1","book","{\"room\": \"a\"}"]],"refusal":null,"finish_reason":"tool_calls","tokens":[0,0]}',1767225600000);
INSERT INTO "ledger" VALUES('s19b76daa8003dd033a4495d',3,'xa1f45c16b9e163f351340b27','value_recorded','/gather#0[0]/asked#0','"746f8d23c0da2c4dbd7b4a1d286ab9a1f42bf2883a472fabccf280b63636e44a"',1767225600000);
INSERT INTO "ledger" VALUES('s19b76daa8003dd033a4495d',4,'xa1f45c16b9e163f351340b27','pause_opened','/gather#0[0]/approval#0','{"kind":"ask","role":"refund-approval","channel":"test","prompt":"planner asks to run book(room=a). Approve?","deadline_at_ms":null}',1767225600000);
INSERT INTO "ledger" VALUES('s19b76daa8003dd033a4495d',5,'xa1f45c16b9e163f351340b27','pause_taken','/gather#0[0]/approval#0','{"resolution":"decided","answer":{"approved":true,"reason":null,"override_arguments":null},"responder":"mara"}',1767225600000);
INSERT INTO "ledger" VALUES('s19b76daa8003dd033a4495d',6,'xa1f45c16b9e163f351340b27','step_returned','/gather#0[0]/prepare#0','{"arguments":{"room":"A"},"state":{"shown":"for mara"}}',1767225600000);
INSERT INTO "ledger" VALUES('s19b76daa8003dd033a4495d',7,'xa1f45c16b9e163f351340b27','pause_opened','/gather#0[0]/answer#0','{"kind":"ask","role":"tool:book","channel":"conversation","prompt":"book(room=A)","deadline_at_ms":null}',1767225600000);
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
INSERT INTO "pauses" VALUES('c34e68b79a86a6921d561a3545233d70','default','s19b76daa8003dd033a4495d','xa1f45c16b9e163f351340b27','/gather#0[0]/approval#0','ask','refund-approval','test','channel','olga','taken',1,'ref-0','{"prompt":"planner asks to run book(room=a). Approve?","form":{"type":"approval","tool":"book","arguments":{"room":"a"},"schema":{"additionalProperties":false,"properties":{"room":{"type":"string"}},"required":["room"],"type":"object"}},"bot":"planner"}',1767225600000,NULL,'decided','{"approved":true,"reason":null,"override_arguments":null}','mara',1767225600000);
INSERT INTO "pauses" VALUES('5f344919977cd8c0967cbbf494f4e4da','default','s19b76daa8003dd033a4495d','xa1f45c16b9e163f351340b27','/gather#0[0]/answer#0','ask','tool:book','conversation','owner','olga','pending',0,NULL,'{"prompt":"book(room=A)","form":{"type":"answer","schema":{"additionalProperties":false,"description":"A person''s decision on one call.\n\nAttributes:\n    reason: what the person gave as the reason; None if nothing.\n    override_arguments: the arguments to run with instead, whole; only with approval.","properties":{"approved":{"title":"Approved","type":"boolean"},"reason":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null,"title":"Reason"},"override_arguments":{"anyOf":[{"additionalProperties":true,"type":"object"},{"type":"null"}],"default":null,"title":"Override Arguments"}},"required":["approved"],"title":"Approval","type":"object"}},"bot":"planner"}',1767225600000,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO "sessions" VALUES('s19b76daa8003dd033a4495d','default','olga','chat','planner','waiting',NULL,50,1767225600000,NULL,2,0,2,0,8,0,1767225600000,1767225600000);
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
