-- Modify "inventory_changes" table
ALTER TABLE `inventory_changes` ADD INDEX `inventorychange_store_id_variant_id_reference` (`store_id`, `variant_id`, `reference`);
