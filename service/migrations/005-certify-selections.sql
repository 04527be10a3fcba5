-- Older certify tasks did not store that the review they name owns them.
UPDATE tasks SET type = jsonb_set(type, '{certify,accessReviewSelection}', type #> '{certify,accessReviewId}')
WHERE type #>> '{certify,accessReviewSelection}' = '';
