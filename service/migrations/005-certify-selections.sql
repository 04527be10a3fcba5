-- Before it was known that the review which a certify task names owns it, tasks were stored without saying so.
UPDATE tasks SET type = jsonb_set(type, '{certify,accessReviewSelection}', type #> '{certify,accessReviewId}')
WHERE type #>> '{certify,accessReviewSelection}' = '';
