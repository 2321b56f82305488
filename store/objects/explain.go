package objects

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strings"

	smithy "github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// mostCode is how many letters the code of an error has at most. No signature has letters only.
const mostCode = 60

// wrongSum is the one code that has more than letters: other bytes came than were signed.
const wrongSum = "XAmzContentSHA256Mismatch"

// noCredentials is that the usual chain gives no credentials.
type noCredentials struct{ err error }

func (e *noCredentials) Error() string { return "no credentials" }

// errNoUpload says that the other side does not know an upload.
var errNoUpload = errors.New("the upload is not known there")

// answered returns the status and the code of an error that the server has sent; 0 if it sent none.
// The text that comes with it is not looked at: a server may repeat in it what it was sent.
func answered(err error) (status int, code string) {
	var response *smithyhttp.ResponseError
	if errors.As(err, &response) {
		status = response.HTTPStatusCode()
	}
	var api smithy.APIError
	if errors.As(err, &api) {
		code = api.ErrorCode()
	}
	isOther := func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') }
	if code != wrongSum && (len(code) > mostCode || strings.ContainsFunc(code, isOther)) {
		code = ""
	}
	return status, code
}

// explain says in our words what has failed: what callers tell apart, and what a person does next.
func explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if own := ofCaller(ctx, err); own != nil {
		return own
	}
	var missing *noCredentials
	if errors.As(err, &missing) {
		return fmt.Errorf("%w: no credentials are found: set AWS_ACCESS_KEY_ID and "+
			"AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or run where a role gives them", ErrRefused)
	}
	status, code := answered(err)
	if kind := byCode(code); kind != nil {
		return kind
	}
	if status >= 300 {
		return byStatus(status, code)
	}
	return fmt.Errorf("%w: %s", ErrUnreachable, ofNetwork(err))
}

// ofCaller returns the error of a caller that waits no longer, and our own ones as they are.
func ofCaller(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for _, own := range []error{ErrChanged, ErrTaken, ErrUnreachable, ErrRefused} {
		if errors.Is(err, own) {
			return err
		}
	}
	return nil
}

// byCode judges what some codes say whatever their status is.
func byCode(code string) error {
	switch code {
	case "NoSuchUpload":
		return errNoUpload
	case "NoSuchBucket":
		return fmt.Errorf("%w: there is no such bucket: make it, or mend its name (%s)", ErrRefused, code)
	case "NoSuchKey", "NotFound":
		return fs.ErrNotExist
	case "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken",
		"RequestExpired", "TokenRefreshRequired":
		return fmt.Errorf("%w: it does not know these credentials, or not any more: mend "+
			"AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile (%s)", ErrRefused, code)
	case "RequestTimeTooSkewed":
		return fmt.Errorf("%w: the clock is wrong, here or there (%s)", ErrRefused, code)
	case "AuthorizationHeaderMalformed", "IllegalLocationConstraintException", "PermanentRedirect":
		return fmt.Errorf("%w: the bucket is in another region: set AWS_REGION (%s)", ErrRefused, code)
	case "QuotaExceeded", "XMinioStorageFull", "InsufficientStorage", "BucketQuotaExceeded":
		return fmt.Errorf("%w: there is no room left in it: make some (%s)", ErrUnreachable, code)
	}
	return nil
}

// byStatus judges an answer by its status.
func byStatus(status int, code string) error {
	said := fmt.Sprint(status)
	if code != "" {
		said += " " + code
	}
	switch {
	case status == http.StatusNotFound:
		return fs.ErrNotExist
	case status == http.StatusPreconditionFailed, status == http.StatusRequestedRangeNotSatisfiable:
		return fmt.Errorf("%w (%s)", ErrChanged, said)
	case status == http.StatusForbidden, status == http.StatusUnauthorized:
		return fmt.Errorf("%w: these credentials may not do it: give them the right to read, write, "+
			"list and delete there (%s)", ErrRefused, said)
	case status < 400:
		return fmt.Errorf("%w: %s", ErrRefused, redirected(status))
	case status == http.StatusInsufficientStorage:
		return fmt.Errorf("%w: there is no room left in it: make some (%s)", ErrUnreachable, said)
	case status == http.StatusTooManyRequests, status == http.StatusRequestTimeout,
		status == http.StatusConflict, status >= 500 && status != http.StatusNotImplemented,
		isDamage(code):
		return fmt.Errorf("%w: it answers %s", ErrUnreachable, said)
	}
	return fmt.Errorf("%w: it answers %s: look whether AWS_ENDPOINT_URL, AWS_REGION and the bucket are the "+
		"right ones", ErrRefused, said)
}

// isDamage reports whether the other side says that other bytes came than were signed.
func isDamage(code string) bool {
	switch code {
	case "BadDigest", wrongSum, "XAmzContentChecksumMismatch", "InvalidDigest",
		"IncompleteBody", "RequestTimeout", "InvalidPart":
		return true
	}
	return false
}

// ofNetwork says why there is no answer. Only texts are repeated that no server can write into.
func ofNetwork(err error) string {
	var operation *net.OpError
	var certificate *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	switch {
	case errors.Is(err, errTooLong):
		return errTooLong.Error()
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return "it is silent"
	case errors.As(err, &certificate), errors.As(err, &authority):
		return "its certificate is not trusted: AWS_CA_BUNDLE names a file of authorities that are"
	case errors.As(err, &operation):
		return operation.Error()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "it broke off"
	}
	return "its answer cannot be understood"
}
