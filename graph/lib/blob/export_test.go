package blob

// Parameters are those of an address on S3.
var Parameters = parameters
