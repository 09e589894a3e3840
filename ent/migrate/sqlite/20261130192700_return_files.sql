-- Create "return_files" table
CREATE TABLE `return_files` (`store_id` blob NOT NULL, `return_id` blob NOT NULL, `position` integer NOT NULL, `id` blob NOT NULL, `order_id` blob NOT NULL, `object_id` blob NOT NULL, `content_type` text NOT NULL, `size_bytes` integer NOT NULL, PRIMARY KEY (`store_id`, `return_id`, `position`));
-- Create index "returnfile_store_id_order_id" to table: "return_files"
CREATE INDEX `returnfile_store_id_order_id` ON `return_files` (`store_id`, `order_id`);
