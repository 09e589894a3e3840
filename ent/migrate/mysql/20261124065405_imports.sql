-- Create "imports" table
CREATE TABLE `imports` (`store_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `made_id` binary(16) NOT NULL, PRIMARY KEY (`store_id`, `id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
