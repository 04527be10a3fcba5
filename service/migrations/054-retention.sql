-- The sweep for retention reads the oldest rows first.
CREATE INDEX runs_finished ON runs (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX task_audits_created ON task_audits (created_at);
