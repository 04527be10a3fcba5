-- Renames skippedByUserId to userId, which clients read.
UPDATE task_steps
SET outcome = jsonb_set(outcome #- '{skipped,skippedByUserId}', '{skipped,userId}', outcome #> '{skipped,skippedByUserId}')
WHERE outcome #> '{skipped,skippedByUserId}' IS NOT NULL;
