package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/rs/zerolog"

	"warcorder/cmd/uploading"
	"warcorder/recorder"
	"warcorder/recorder/recovery"
	"warcorder/store"
	"warcorder/store/cdxserver"
	"warcorder/store/collection"
)

// uploadCommand brings the finished files of a collection into object storage, at rest or by its recorder.
// At rest it is a recovery first.
type uploadCommand struct {
	URL    string `arg:"" name:"url" optional:""`
	Status bool   `name:"status"`
	JSON   bool   `name:"json"`
	Lines  bool   `name:"cdxj"`
	collectionFlags
	Upload   uploadFlags   `embed:""`
	Recorder recorderFlags `embed:""`
}

// Run uploads, or says how the files are.
func (c *uploadCommand) Run(line *commandLine) error {
	dir, err := c.dir()
	if err != nil {
		return err
	}
	if !dir.Exists() {
		return noCollection(dir)
	}
	if c.Status {
		return c.report(dir)
	}
	form, err := c.form()
	if err != nil {
		return fmt.Errorf("upload: %w", err)
	}
	ctx, end := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer end()
	done, err := c.upload(ctx, dir, form, line.repairLog())
	if errors.Is(err, recovery.ErrNoCollection) {
		return noCollection(dir)
	}
	return c.told(line, &done, err)
}

// form is what is asked for. What neither the command line nor the settings say is the recorder's matter.
func (c *uploadCommand) form() (url.Values, error) {
	form := url.Values{}
	to := c.URL
	if to == "" && c.Upload.To.Bucket != "" {
		to = c.Upload.To.String()
	}
	if to != "" {
		form.Set(paramUploadTo, to)
	}
	if c.Lines || c.Upload.CDXJ {
		form.Set(paramCDXJ, "true")
	}
	if c.Upload.Local.Some {
		form.Set(paramKeepLocal, c.Upload.Local.String())
	}
	return form, checkUpload(form)
}

// upload uploads at rest, or has the recorder do it.
func (c *uploadCommand) upload(ctx context.Context, dir collection.Dir, form url.Values, log zerolog.Logger) (
	done uploading.Done, err error) {
	for until := time.Now().Add(lockPatience); ; time.Sleep(50 * time.Millisecond) {
		done, err = c.atRest(ctx, dir, form, log)
		unsaid := errors.Is(err, errNoPlace) // the recorder's settings may say it
		if unsaid || errors.Is(err, collection.ErrLocked) {
			done, err = uploadBeside(ctx, dir, form)
		}
		switch {
		case unsaid && errors.Is(err, cdxserver.ErrNobody):
			return done, errNoPlace
		case !errors.Is(err, cdxserver.ErrNobody):
			return done, err
		case time.Now().After(until):
			return done, unanswered(dir)
		}
	}
}

// atRest uploads from a collection that nobody records.
func (c *uploadCommand) atRest(ctx context.Context, dir collection.Dir, form url.Values, log zerolog.Logger) (
	done uploading.Done, err error) {
	cfg, err := uploadOf(uploading.Config{Mode: c.Recorder.Mode, MinFree: c.Recorder.MinFreeSpace}, form)
	if err == nil && cfg.Place.Bucket == "" {
		err = errNoPlace
	}
	if err != nil {
		return done, err
	}
	recording := c.Recorder.config()
	recording.Progress = newProgress(os.Stderr)
	bar := &byteBar{out: os.Stderr}
	err = recorder.AtRest(recording, dir, log, func(rec *recorder.Recorder) (err error) {
		u := uploading.New(dir, rec.Index, log)
		done, err = u.Round(ctx, cfg, true, func(p uploading.Progress) { bar.show(p.File, p.Bytes, p.Of) })
		bar.finish()
		return err
	})
	return done, err
}

// uploadBeside has the recorder of a collection upload, and shows how far it is.
func uploadBeside(ctx context.Context, dir collection.Dir, form url.Values) (done uploading.Done, err error) {
	running, err := cdxserver.At(dir)
	if err != nil {
		return done, err
	}
	watched, stop := context.WithCancel(ctx)
	shown := make(chan struct{})
	go func() { defer close(shown); watchUpload(watched, running) }()
	err = running.WorkOn(ctx, uploadPath, form, &done)
	stop()
	<-shown
	return done, err
}

// watchUpload shows how far a recorder is.
func watchUpload(ctx context.Context, running cdxserver.Recorder) {
	bar := &byteBar{out: os.Stderr}
	defer bar.finish()
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
		now, err := statusOf(running)
		if err == nil && now.Upload != nil && now.Upload.Sending != "" {
			bar.show(now.Upload.Sending, now.Upload.At.Bytes, now.Upload.At.Of)
		}
	}
}

// told says what was done.
func (c *uploadCommand) told(line *commandLine, done *uploading.Done, err error) error {
	for _, one := range done.Failed {
		say("%s: %s", printable(one.File), printable(one.Why))
	}
	for _, why := range done.Kept {
		say("%s", printable(why))
	}
	if done.Files+done.Released+done.Deleted > 0 || err == nil {
		fmt.Printf("%s sent and verified, %s\n", count(done.Files, "file"), humanize.Bytes(uint64(done.Bytes)))
	}
	if done.Released > 0 {
		fmt.Printf("%s here gone, %s freed\n", count(done.Released, "local file"), humanize.Bytes(uint64(done.Freed)))
	}
	if done.Deleted > 0 {
		fmt.Printf("%s there deleted, of what was removed\n", count(done.Deleted, "object"))
	}
	if err != nil {
		return fmt.Errorf("upload: %w", err)
	}
	if n := len(done.Failed); n > 0 {
		return fmt.Errorf("upload: not all is done: %s, see above; what failed is tried again by the next upload",
			count(n, "finding"))
	}
	return nil
}

// report says how the files are.
func (c *uploadCommand) report(dir collection.Dir) error {
	report, err := uploadReportNow(dir)
	if err != nil {
		return err
	}
	if !c.JSON {
		return report.write(os.Stdout)
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	return out.Encode(report)
}

// uploadReportNow asks the recorder of a collection, or reads what is there.
func uploadReportNow(dir collection.Dir) (report uploadReport, err error) {
	for until := time.Now().Add(lockPatience); ; time.Sleep(50 * time.Millisecond) {
		index, err := store.OpenReadOnly(dir.Index())
		if err == nil {
			report, err = uploadReportOf(dir, index)
			return report, errors.Join(err, index.Close())
		}
		if !errors.Is(err, collection.ErrLocked) {
			return report, explainRead(err, dir)
		}
		running, err := cdxserver.At(dir)
		if err == nil {
			var page []byte
			if page, err = running.ReadMost(uploadPath, mostUploadReport); err == nil {
				return report, json.Unmarshal(page, &report)
			}
		}
		switch {
		case !errors.Is(err, cdxserver.ErrNobody):
			return report, err
		case time.Now().After(until):
			return report, unanswered(dir)
		}
	}
}

// mostUploadReport is how many bytes of a report are read: of a million files.
const mostUploadReport = 512 << 20
