-- Create "payment_accounts" table
CREATE TABLE `payment_accounts` (`store_id` blob NOT NULL, `id` blob NOT NULL, `provider` text NOT NULL, `live` bool NOT NULL, `secret` blob NOT NULL, `secret_hint` text NOT NULL, `signing` blob NOT NULL, `signing_hint` text NOT NULL, `updated_at` integer NOT NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "paymentaccount_store_id_provider" to table: "payment_accounts"
CREATE UNIQUE INDEX `paymentaccount_store_id_provider` ON `payment_accounts` (`store_id`, `provider`);
-- Create "payment_refunds" table
CREATE TABLE `payment_refunds` (`store_id` blob NOT NULL, `id` blob NOT NULL, `order_id` blob NOT NULL, `ledger_id` blob NULL, `bucket` integer NOT NULL, `provider` text NOT NULL, `payment` text NOT NULL, `amount_minor` integer NOT NULL, `currency` text NOT NULL, `state` text NOT NULL, `failure` text NULL, `tries` integer NOT NULL DEFAULT (0), `due_at` integer NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "paymentrefund_store_id_order_id_id" to table: "payment_refunds"
CREATE INDEX `paymentrefund_store_id_order_id_id` ON `payment_refunds` (`store_id`, `order_id`, `id`);
-- Create index "paymentrefund_bucket_due_at" to table: "payment_refunds"
CREATE INDEX `paymentrefund_bucket_due_at` ON `payment_refunds` (`bucket`, `due_at`);
-- Create "payment_sessions" table
CREATE TABLE `payment_sessions` (`store_id` blob NOT NULL, `id` blob NOT NULL, `order_id` blob NOT NULL, `attempt` integer NOT NULL, `bucket` integer NOT NULL, `provider` text NOT NULL, `reference` text NULL, `payment` text NULL, `amount_minor` integer NOT NULL, `currency` text NOT NULL, `state` text NOT NULL, `tries` integer NOT NULL DEFAULT (0), `due_at` integer NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "paymentsession_store_id_order_id_attempt" to table: "payment_sessions"
CREATE UNIQUE INDEX `paymentsession_store_id_order_id_attempt` ON `payment_sessions` (`store_id`, `order_id`, `attempt`);
-- Create index "paymentsession_store_id_reference" to table: "payment_sessions"
CREATE UNIQUE INDEX `paymentsession_store_id_reference` ON `payment_sessions` (`store_id`, `reference`);
-- Create index "paymentsession_bucket_due_at" to table: "payment_sessions"
CREATE INDEX `paymentsession_bucket_due_at` ON `payment_sessions` (`bucket`, `due_at`);
