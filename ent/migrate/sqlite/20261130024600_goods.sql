-- Add column "barcode" to table: "variants"
ALTER TABLE `variants` ADD COLUMN `barcode` text NULL;
-- Add column "cost_minor" to table: "variants"
ALTER TABLE `variants` ADD COLUMN `cost_minor` integer NULL;
-- Add column "description_format" to table: "products"
ALTER TABLE `products` ADD COLUMN `description_format` text NOT NULL DEFAULT 'text';
-- Add column "barcode" to table: "products"
ALTER TABLE `products` ADD COLUMN `barcode` text NULL;
-- Add column "cost_minor" to table: "products"
ALTER TABLE `products` ADD COLUMN `cost_minor` integer NULL;
-- Add column "maker" to table: "products"
ALTER TABLE `products` ADD COLUMN `maker` blob NULL;
-- Add column "videos" to table: "products"
ALTER TABLE `products` ADD COLUMN `videos` blob NULL;
-- Add column "size_chart_id" to table: "products"
ALTER TABLE `products` ADD COLUMN `size_chart_id` blob NULL;
