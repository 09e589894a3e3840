-- Create "sales_intervals" table
CREATE TABLE `sales_intervals` (`store_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `orders` bigint NOT NULL, `total_high` bigint NOT NULL, `total_low` bigint NOT NULL, PRIMARY KEY (`store_id`, `id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
-- Create "sales_pendings" table
CREATE TABLE `sales_pendings` (`store_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `token` binary(16) NOT NULL, PRIMARY KEY (`store_id`, `id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
-- Create "sales_walks" table
CREATE TABLE `sales_walks` (`store_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `behind` binary(16) NOT NULL, `token` binary(16) NOT NULL, `done` bool NOT NULL DEFAULT 0, PRIMARY KEY (`store_id`, `id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
