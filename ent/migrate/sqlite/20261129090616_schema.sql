-- Create "former_handles" table
CREATE TABLE `former_handles` (`store_id` blob NOT NULL, `id` blob NOT NULL, `kind` text NOT NULL, `handle` text NOT NULL, `resource_id` blob NOT NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "formerhandle_store_id_kind_handle" to table: "former_handles"
CREATE UNIQUE INDEX `formerhandle_store_id_kind_handle` ON `former_handles` (`store_id`, `kind`, `handle`);
-- Create index "formerhandle_store_id_resource_id_id" to table: "former_handles"
CREATE INDEX `formerhandle_store_id_resource_id_id` ON `former_handles` (`store_id`, `resource_id`, `id`);
