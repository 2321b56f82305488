// Package objects keeps WARC files, and what belongs to them, in object storage that speaks S3.
// Start with [Parse], which reads s3://BUCKET/PREFIX, and [Open].
//
// Where the storage is and who asks is told by what all programs with an SDK of AWS read, and
// nothing else: AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID and
// AWS_SECRET_ACCESS_KEY, AWS_PROFILE and its files, a web identity, a container, an instance. With
// an endpoint of one's own the bucket is in the path (http://HOST/BUCKET/KEY), else in the name of
// the host.
//
// Invariant: what Put has returned without an error is at the other side, byte for byte, as the
// other side says; nothing that is there is written over unless the caller says so; and what is
// read is of the object that the Remote names, in the version that its ETag names, or an error.
// Whatever a server sends, memory is bounded, nothing that it sends is in the text of an error but
// a code of letters, and what is signed goes to no other host than that of the endpoint.
//
// The client is aws-sdk-go-v2, and not minio-go v7.4.1: it reads the whole of that chain, as boto3
// does, with endpoint_url and single sign-on of a profile; minio-go has a list of providers of its
// own, and is told the endpoint by its caller. Both sign the SHA-256 of a part that is known, go on
// with an upload by its list, and send a condition. The SDK costs more: a static program that only
// puts and gets has 10.5 MB with it, 8.1 MB with minio-go and 5.8 MB with net/http alone; its
// modules are 19 and 20. Both are of the Apache License 2.0.
package objects

import "errors"

// What callers tell apart. An object that is not there is fs.ErrNotExist.
var (
	// ErrChanged says that the object is not what it was when it was noted: of another ETag or size,
	// or of other bytes.
	ErrChanged = errors.New("the object has changed")

	// ErrTaken says that an object of other content is there already, where none may be written over.
	ErrTaken = errors.New("another object is there")

	// ErrUnreachable says that the storage gives no answer, or none that helps, for now: what was
	// asked may be asked again later.
	ErrUnreachable = errors.New("the storage cannot be reached")

	// ErrRefused says that the storage does not do it for whom asks, or knows no such bucket: a person
	// must act before it is asked again.
	ErrRefused = errors.New("the storage refuses")
)
