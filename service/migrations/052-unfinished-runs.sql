-- The sweep for runs without a job reads only unfinished runs, which are few.
CREATE INDEX runs_unfinished ON runs (id) WHERE finished_at IS NULL;
