-- Disable the enforcement of foreign-keys constraints
PRAGMA foreign_keys = off;
-- Create "new_payment_accounts" table
CREATE TABLE `new_payment_accounts` (`store_id` blob NOT NULL, `id` blob NOT NULL, `provider` text NOT NULL, `live` bool NOT NULL, `secret` blob NOT NULL, `secret_hint` text NOT NULL, `signing` blob NOT NULL, `signing_hint` text NOT NULL, `updated_at` integer NOT NULL, `retired_at` integer NOT NULL DEFAULT (0), `bucket` integer NOT NULL DEFAULT (0), PRIMARY KEY (`store_id`, `id`));
-- Copy rows from old table "payment_accounts" to new temporary table "new_payment_accounts"
INSERT INTO `new_payment_accounts` (`store_id`, `id`, `provider`, `live`, `secret`, `secret_hint`, `signing`, `signing_hint`, `updated_at`) SELECT `store_id`, `id`, `provider`, `live`, `secret`, `secret_hint`, `signing`, `signing_hint`, `updated_at` FROM `payment_accounts`;
-- Drop "payment_accounts" table after copying rows
DROP TABLE `payment_accounts`;
-- Rename temporary table "new_payment_accounts" to "payment_accounts"
ALTER TABLE `new_payment_accounts` RENAME TO `payment_accounts`;
-- Create index "paymentaccount_store_id_provider_retired_at" to table: "payment_accounts"
CREATE UNIQUE INDEX `paymentaccount_store_id_provider_retired_at` ON `payment_accounts` (`store_id`, `provider`, `retired_at`);
-- Create index "paymentaccount_bucket_retired_at" to table: "payment_accounts"
CREATE INDEX `paymentaccount_bucket_retired_at` ON `payment_accounts` (`bucket`, `retired_at`);
-- Add column "account_id" to table: "payment_refunds"
ALTER TABLE `payment_refunds` ADD COLUMN `account_id` blob NULL;
-- Add column "reference" to table: "payment_refunds"
ALTER TABLE `payment_refunds` ADD COLUMN `reference` text NULL;
-- Add column "account_id" to table: "payment_sessions"
ALTER TABLE `payment_sessions` ADD COLUMN `account_id` blob NULL;
-- Enable back the enforcement of foreign-keys constraints
PRAGMA foreign_keys = on;
