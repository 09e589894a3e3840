-- Create "downloads" table
CREATE TABLE `downloads` (`store_id` blob NOT NULL, `id` blob NOT NULL, `order_id` blob NOT NULL, `used` integer NOT NULL, `last_at` integer NOT NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "download_store_id_order_id" to table: "downloads"
CREATE INDEX `download_store_id_order_id` ON `downloads` (`store_id`, `order_id`);
-- Create "product_files" table
CREATE TABLE `product_files` (`store_id` blob NOT NULL, `id` blob NOT NULL, `product_id` blob NOT NULL, `filename` text NOT NULL, `object_id` blob NOT NULL, `size_bytes` integer NOT NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "productfile_store_id_product_id" to table: "product_files"
CREATE INDEX `productfile_store_id_product_id` ON `product_files` (`store_id`, `product_id`);
