-- A deleted automation stays for the sake of its runs. Its listener and secrets are removed.
ALTER TABLE automations ADD COLUMN deleted_at timestamptz;
