-- Create "payment_holds" table
CREATE TABLE `payment_holds` (`store_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `bucket` tinyint NOT NULL, `due_at` bigint NOT NULL, PRIMARY KEY (`store_id`, `id`), INDEX `paymenthold_bucket_due_at` (`bucket`, `due_at`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
