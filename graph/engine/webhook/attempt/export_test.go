package attempt

// RetryAfter reads the header.
var RetryAfter = retryAfter
