-- Create "payment_holds" table
CREATE TABLE `payment_holds` (`store_id` blob NOT NULL, `id` blob NOT NULL, `bucket` integer NOT NULL, `due_at` integer NOT NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "paymenthold_bucket_due_at" to table: "payment_holds"
CREATE INDEX `paymenthold_bucket_due_at` ON `payment_holds` (`bucket`, `due_at`);
