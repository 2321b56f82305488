package cmd

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"warcorder/cmd/uploading"
	"warcorder/proxy/admin"
)

// The page that brings finished files into object storage, and tells of them:
//
//	POST /upload  to, cdxj, keep-local   what was done, when it is done: uploading.Done
//	GET  /upload                         how each file is: uploadReport
//
// What the form does not say is as the settings have it.
const (
	uploadPath = "/upload"

	paramUploadTo  = "to"
	paramCDXJ      = "cdxj"
	paramKeepLocal = "keep-local"
)

// uploadConfig is what the settings want, and whether they want anything.
func (s *serving) uploadConfig() (uploading.Config, bool) {
	c := s.now().recordFlags
	return uploading.Config{
		Place: c.Upload.To.Place, CDXJ: c.Upload.CDXJ, Keep: c.Upload.Local,
		Mode: c.Recorder.Mode, MinFree: c.Recorder.MinFreeSpace,
	}, c.Upload.To.Bucket != ""
}

// checkUpload refuses a form for uploadPath that says something which nobody would heed.
func checkUpload(form url.Values) error {
	_, err := uploadOf(uploading.Config{}, form)
	return err
}

// uploadOf is what a form asks for, and else what cfg does.
func uploadOf(cfg uploading.Config, form url.Values) (uploading.Config, error) {
	for name, values := range form {
		if len(values) > 1 {
			return cfg, fmt.Errorf("%s is given %d times: say it once", name, len(values))
		}
		value := values[0]
		switch name {
		case paramUploadTo:
			var to uploadPlace
			if err := to.UnmarshalText([]byte(value)); err != nil {
				return cfg, err
			}
			cfg.Place = to.Place
		case paramCDXJ:
			if value != "true" && value != "false" {
				return cfg, fmt.Errorf("cdxj is %q: say true or false", value)
			}
			cfg.CDXJ = value == "true"
		case paramKeepLocal:
			if err := cfg.Keep.UnmarshalText([]byte(value)); err != nil {
				return cfg, fmt.Errorf("keep-local: %w", err)
			}
		default:
			return cfg, fmt.Errorf("%q is nothing that an upload heeds", name)
		}
	}
	return cfg, nil
}

// errNoPlace says that nobody has said where files go.
var errNoPlace = errors.New("say where files go: warcorder upload s3://BUCKET/PREFIX, or upload: " +
	"s3://BUCKET/PREFIX in the settings")

// upload brings finished files into object storage, for uploadPath.
func (s *serving) upload(ctx context.Context, form url.Values) (any, error) {
	settings, _ := s.uploadConfig()
	cfg, err := uploadOf(settings, form)
	if err == nil && cfg.Place.Bucket == "" {
		err = errNoPlace
	}
	if err != nil {
		return nil, err
	}
	done, err := s.uploads.Round(ctx, cfg, true, nil)
	if err == nil {
		s.uploads.Wake() // what was waited for may be over
	}
	return done, err
}

// addUpload mounts them.
func (s *serving) addUpload(pages *admin.Admin) {
	pages.Add(admin.WorkOn("POST "+uploadPath, checkUpload, s.upload))
	pages.Add(admin.Page{Pattern: "GET " + uploadPath, JSON: true,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			report, err := uploadReportOf(s.dir, s.rec.Index())
			if err != nil {
				refuse(w, http.StatusServiceUnavailable, err)
				return
			}
			report.Recorder = s.uploadState()
			answer(w, http.StatusOK, report)
		})})
}

// uploadState is what /status tells of the upload; nil if there is none, and never was.
type uploadState struct {
	To string `json:"to"` // "" if no settings say it
	uploading.State
	At uploading.Progress `json:"progress"`
}

func (s *serving) uploadState() *uploadState {
	cfg, on := s.uploadConfig()
	now := uploadState{State: s.uploads.State(), At: s.uploads.Sending()}
	if on {
		now.To = cfg.Place.String()
	}
	if !on && now.State == (uploading.State{}) {
		return nil
	}
	return &now
}
