-- Processes of versions until migration 058 do not see which events this version has accepted, and would run them again. The view
-- stands in their way: they answer 503, senders retry, and they do not start. Waits for the open transactions of deliveries.
ALTER TABLE IF EXISTS webhook_events RENAME TO claimed_events;
ALTER INDEX IF EXISTS webhook_events_pkey RENAME TO claimed_events_pkey;
ALTER INDEX IF EXISTS webhook_events_expires_at RENAME TO claimed_events_expires_at;
CREATE VIEW webhook_events AS SELECT 'replace processes of older versions' AS todo;
