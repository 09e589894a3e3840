package ent

// IdleTime is what the settings of a session say of transactions that stand still.
const IdleTime = idleTime
