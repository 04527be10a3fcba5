-- The retention deletes the records of a run, and each deleted run is looked for in this column. To spare a large table the lock
-- that keeps steps from writing records meanwhile, create this index CONCURRENTLY before the upgrade.
CREATE INDEX IF NOT EXISTS records_of_runs ON records (run_id);
