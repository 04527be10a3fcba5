-- A deleted automation stays for its runs; its listener and its secrets go.
ALTER TABLE automations ADD COLUMN deleted_at timestamptz;
