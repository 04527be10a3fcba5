-- What is swept for runs that have no job: few, whatever there was.
CREATE INDEX runs_unfinished ON runs (id) WHERE finished_at IS NULL;
