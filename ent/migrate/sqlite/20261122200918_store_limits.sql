-- Add column "limits" to table: "stores"
ALTER TABLE `stores` ADD COLUMN `limits` blob NULL;
