package core

// MaxInventory is the largest stock that is tracked (contract, section 1).
const MaxInventory = 1<<31 - 1
