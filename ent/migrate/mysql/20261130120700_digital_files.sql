-- Create "downloads" table
CREATE TABLE `downloads` (`store_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `order_id` binary(16) NOT NULL, `used` bigint NOT NULL, `last_at` bigint NOT NULL, PRIMARY KEY (`store_id`, `id`), INDEX `download_store_id_order_id` (`store_id`, `order_id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
-- Create "product_files" table
CREATE TABLE `product_files` (`store_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `product_id` binary(16) NOT NULL, `filename` varchar(255) NOT NULL, `object_id` binary(16) NOT NULL, `size_bytes` bigint NOT NULL, PRIMARY KEY (`store_id`, `id`), INDEX `productfile_store_id_product_id` (`store_id`, `product_id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
