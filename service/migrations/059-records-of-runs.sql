-- The retention deletes the records of a run, and each deleted run is looked for in this column. To spare a large table the lock
-- that keeps steps from writing records meanwhile, create this index CONCURRENTLY before the upgrade.
CREATE INDEX IF NOT EXISTS records_of_runs ON records (run_id);
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
    WHERE indrelid = 'records'::regclass AND attname = 'run_id' AND indpred IS NULL AND indisvalid) THEN
    RAISE 'The name records_of_runs is taken, but not by a valid index of records (run_id): drop or rename what has it, and start again';
  END IF;
END $$;
