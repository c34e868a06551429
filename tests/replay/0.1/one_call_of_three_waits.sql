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
INSERT INTO "audit" VALUES('default',1,'s19b76daa800632408229079','xc174d378cb52906a03611abd','/gather#0[0]/approval#0',NULL,'refund-approval','channel','mara','decided','{"approved":true,"reason":null,"override_arguments":null}',1767225600000,1767225600000,'0000000000000000000000000000000000000000000000000000000000000000','28d6199b865cfeffd6df3ace322c44f8e8b6b2f8258bf56deae00dfe402b7d29');
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
INSERT INTO "deliveries" VALUES('23f6c35bf8e7fc297a984dee7d157ec2:post','23f6c35bf8e7fc297a984dee7d157ec2','s19b76daa800632408229079','test','post','sent',1767225600000,0,NULL,'w20121cd64b1a98d3',1767225660000,1767225600000,1767225600000);
INSERT INTO "deliveries" VALUES('23f6c35bf8e7fc297a984dee7d157ec2:withdraw','23f6c35bf8e7fc297a984dee7d157ec2','s19b76daa800632408229079','test','withdraw','sent',1767225600000,0,NULL,'w20121cd64b1a98d3',1767225660000,1767225600000,1767225600000);
INSERT INTO "deliveries" VALUES('514b216122290fbd8906de3251267b77:post','514b216122290fbd8906de3251267b77','s19b76daa800632408229079','test','post','sent',1767225600000,0,NULL,'w20121cd64b1a98d3',1767225660000,1767225600000,1767225600000);
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
INSERT INTO "executions" VALUES('xc174d378cb52906a03611abd','s19b76daa800632408229079',NULL,'support','1','d55473aa18d493596b0377f055b8c389','running','{"content":"refund orders 1 and 2","from":"olga"}',NULL,1767225600000,NULL);
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
INSERT INTO "inbound" VALUES('api','m19b76daa8000000009bb6d8e0e0a58bf4','message','default','s19b76daa800632408229079',NULL,'{"content":"refund orders 1 and 2","from":"olga"}',1767225600000,1767225600000);
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
INSERT INTO "ledger" VALUES('s19b76daa800632408229079',0,'xc174d378cb52906a03611abd','execution_started','','{"program":"support","version":"1"}',1767225600000);
INSERT INTO "ledger" VALUES('s19b76daa800632408229079',1,'xc174d378cb52906a03611abd','message_received','','{"content":"refund orders 1 and 2","from":"olga"}',1767225600000);
INSERT INTO "ledger" VALUES('s19b76daa800632408229079',2,'xc174d378cb52906a03611abd','model_replied','/model#0','{"content":"","tool_calls":[["call_1","refund_card","{\"order_id\": \"1\", \"amount\": \"10.00\"}"],["call_1_2","look_up","{\"order_id\": \"1\"}"],["call_1_3","refund_card","{\"order_id\": \"2\", \"amount\": \"20.00\"}"]],"refusal":null,"finish_reason":"tool_calls","tokens":[0,0]}',1767225600000);
INSERT INTO "ledger" VALUES('s19b76daa800632408229079',3,'xc174d378cb52906a03611abd','value_recorded','/gather#0[0]/asked#0','"f7b5dd04ac61f622018fc7bb11bc678e9d8f46327af829a519b6bd7a188574ea"',1767225600000);
INSERT INTO "ledger" VALUES('s19b76daa800632408229079',4,'xc174d378cb52906a03611abd','value_recorded','/gather#0[2]/asked#0','"22ed17903caf7cab6e18208f46393331133986c7853c5d03e1691ba729f19cc1"',1767225600000);
INSERT INTO "ledger" VALUES('s19b76daa800632408229079',5,'xc174d378cb52906a03611abd','pause_opened','/gather#0[0]/approval#0','{"kind":"ask","role":"refund-approval","channel":"test","prompt":"support asks to run refund_card(order_id=1, amount=10.00). Approve?","deadline_at_ms":null}',1767225600000);
INSERT INTO "ledger" VALUES('s19b76daa800632408229079',6,'xc174d378cb52906a03611abd','pause_opened','/gather#0[2]/approval#0','{"kind":"ask","role":"refund-approval","channel":"test","prompt":"support asks to run refund_card(order_id=2, amount=20.00). Approve?","deadline_at_ms":null}',1767225600000);
INSERT INTO "ledger" VALUES('s19b76daa800632408229079',7,'xc174d378cb52906a03611abd','tool_replied','/gather#0[1]/look_up#0','{"call_id":"call_1_2","content":"{\"name\":\"train\",\"amount\":\"80.50\",\"day\":\"2026-11-02\"}","is_error":false}',1767225600000);
INSERT INTO "ledger" VALUES('s19b76daa800632408229079',8,'xc174d378cb52906a03611abd','pause_taken','/gather#0[0]/approval#0','{"resolution":"decided","answer":{"approved":true,"reason":null,"override_arguments":null},"responder":"mara"}',1767225600000);
INSERT INTO "ledger" VALUES('s19b76daa800632408229079',9,'xc174d378cb52906a03611abd','tool_replied','/gather#0[0]/refund_card#0','{"call_id":"call_1","content":"refunded 10.00","is_error":false}',1767225600000);
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
INSERT INTO "pauses" VALUES('23f6c35bf8e7fc297a984dee7d157ec2','default','s19b76daa800632408229079','xc174d378cb52906a03611abd','/gather#0[0]/approval#0','ask','refund-approval','test','channel','olga','taken',1,'ref-0','{"prompt":"support asks to run refund_card(order_id=1, amount=10.00). Approve?","form":{"type":"approval","tool":"refund_card","arguments":{"order_id":"1","amount":"10.00"},"schema":{"additionalProperties":false,"properties":{"order_id":{"type":"string"},"amount":{"anyOf":[{"type":"number"},{"type":"string"}]}},"required":["order_id","amount"],"type":"object"}},"bot":"support"}',1767225600000,NULL,'decided','{"approved":true,"reason":null,"override_arguments":null}','mara',1767225600000);
INSERT INTO "pauses" VALUES('514b216122290fbd8906de3251267b77','default','s19b76daa800632408229079','xc174d378cb52906a03611abd','/gather#0[2]/approval#0','ask','refund-approval','test','channel','olga','pending',1,'ref-1','{"prompt":"support asks to run refund_card(order_id=2, amount=20.00). Approve?","form":{"type":"approval","tool":"refund_card","arguments":{"order_id":"2","amount":"20.00"},"schema":{"additionalProperties":false,"properties":{"order_id":{"type":"string"},"amount":{"anyOf":[{"type":"number"},{"type":"string"}]}},"required":["order_id","amount"],"type":"object"}},"bot":"support"}',1767225600000,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO "sessions" VALUES('s19b76daa800632408229079','default','olga','chat','support','waiting',NULL,50,1767225600000,NULL,2,0,2,0,10,0,1767225600000,1767225600000);
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
