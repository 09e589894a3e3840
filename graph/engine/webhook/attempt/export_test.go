package attempt

// RetryAfter parses the header.
var RetryAfter = retryAfter
