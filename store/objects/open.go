package objects

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/logging"
	"github.com/aws/smithy-go/middleware"
)

const (
	// tries is how often a request is made where AWS_MAX_ATTEMPTS does not say it. What fails then is
	// tried again by the caller, later.
	tries = 5

	// anyRegion is signed where an endpoint of one's own has no region.
	anyRegion = "us-east-1"

	gzipStep = "DisableAcceptEncodingGzip" // what the SDK calls it
)

// Storage is the object storage that the environment names. Any number of goroutines may use it.
type Storage struct {
	client *s3.Client
	cache  *cache

	life context.Context // of what reads ahead
	end  context.CancelFunc

	// The other side has refused checksums or conditions: of anything but a DELETE, and of that.
	plain, plainDelete atomic.Bool
}

// Open reads where the storage is and who asks there. No request is made: whether it is there, and
// has credentials, is said by what asks first.
func Open(ctx context.Context) (*Storage, error) { return open(ctx, idleTime, readTime) }

func open(ctx context.Context, idle, read time.Duration) (*Storage, error) {
	client := awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
		guard(t, idle)
	})
	// What the SDK would log may have in it what is signed: it logs nothing.
	cfg, err := config.LoadDefaultConfig(ctx, config.WithHTTPClient(client),
		config.WithLogger(logging.Nop{}), config.WithClientLogMode(0))
	if err != nil {
		return nil, fmt.Errorf("what AWS_PROFILE, the files of AWS or AWS_CA_BUNDLE say of object "+
			"storage: %w", err)
	}
	s := &Storage{cache: newCache()}
	s.life, s.end = context.WithCancel(context.Background())
	if cfg.Credentials != nil {
		cfg.Credentials = chain{cfg.Credentials}
	}
	s.client = s3.NewFromConfig(cfg, options, func(o *s3.Options) {
		if built, is := o.HTTPClient.(*awshttp.BuildableClient); is {
			o.HTTPClient = ways(built.GetTransport(), read)
		}
	})
	return s, s.check()
}

// options are those of every request.
func options(o *s3.Options) {
	if o.BaseEndpoint != nil {
		o.UsePathStyle = true
		if o.Region == "" {
			o.Region = anyRegion
		}
	}
	if o.RetryMaxAttempts == 0 {
		o.RetryMaxAttempts = tries
	}
	// A checksum is sent as a field where there is one, never as a trailer, which some refuse.
	o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
	o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
	o.DisableLogOutputChecksumValidationSkipped = true
	// Accept-Encoding would be signed, and is changed on the way by some: it is not sent.
	o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
		_, _ = stack.Finalize.Remove(gzipStep) // some requests have none
		return nil
	})
}

// check refuses what cannot be meant.
func (s *Storage) check() error {
	o := s.client.Options()
	switch {
	case o.BaseEndpoint != nil:
		u, err := url.Parse(*o.BaseEndpoint)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil ||
			u.RawQuery != "" {
			return errors.New("AWS_ENDPOINT_URL is not of the form https://HOST:PORT, without a user " +
				"and a query: credentials are read from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
		}
	case o.Region == "":
		return errors.New("object storage: set AWS_REGION to the region of the bucket, or " +
			"AWS_ENDPOINT_URL to where the storage is, if it is not at AWS")
	case o.Credentials == nil:
		return explain(context.Background(), new(noCredentials))
	}
	return nil
}

// Close ends what reads ahead. Readers of the Storage fail from then on. One that lives as long as the
// process needs none.
func (s *Storage) Close() error {
	s.end()
	return nil
}

// chain marks the errors of whoever gives the credentials: their texts are of other servers.
type chain struct{ aws.CredentialsProvider }

// Retrieve implements aws.CredentialsProvider.
func (c chain) Retrieve(ctx context.Context) (aws.Credentials, error) {
	found, err := c.CredentialsProvider.Retrieve(ctx)
	if err != nil && ctx.Err() == nil {
		err = &noCredentials{err}
	}
	return found, err
}
