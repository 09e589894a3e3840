package blob

// Parameters are the parameters of an S3 address.
var Parameters = parameters
