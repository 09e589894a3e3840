-- Create index "inventorychange_store_id_variant_id_reference" to table: "inventory_changes"
CREATE INDEX `inventorychange_store_id_variant_id_reference` ON `inventory_changes` (`store_id`, `variant_id`, `reference`);
