-- Create index "productimage_store_id_object_id" to table: "product_images"
CREATE INDEX `productimage_store_id_object_id` ON `product_images` (`store_id`, `object_id`);
-- Add column "storefront" to table: "stores"
ALTER TABLE `stores` ADD COLUMN `storefront` blob NULL;
