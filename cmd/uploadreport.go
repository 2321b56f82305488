package cmd

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"

	"warcorder/cmd/uploading"
	"warcorder/store"
	"warcorder/store/collection"
)

// uploadReport is how the files of a collection are, of which object storage may have copies.
type uploadReport struct {
	Files []uploadFile `json:"files"`

	Recorder *uploadState `json:"recorder,omitempty"` // that has the collection open; nil: none has
}

// uploadFile is one file.
type uploadFile struct {
	Name     string     `json:"name"`
	State    string     `json:"state"` // open, finished, uploading, stored, away, missing, stale
	Size     int64      `json:"size"`
	Sent     int        `json:"partsSent,omitempty"` // of one that is being sent in parts
	Parts    int        `json:"parts,omitempty"`
	Where    string     `json:"where,omitempty"`
	Uploaded *time.Time `json:"uploaded,omitempty"`
}

// The states of files that the overview does not have.
const (
	fileUploading = "uploading"
	fileStored    = "stored"
	fileStale     = "stale"
)

// uploadReportOf reads how the files are.
func uploadReportOf(dir collection.Dir, index *store.Bolt) (report uploadReport, err error) {
	files, err := index.Files()
	if err != nil {
		return report, err
	}
	begun, err := uploading.Begun(dir)
	if err != nil {
		return report, err
	}
	report.Files = []uploadFile{}
	for i := range files {
		if f := &files[i]; !f.Sealed || f.Committed > 0 || f.Missing {
			report.Files = append(report.Files, uploadFileOf(f, begun[f.Name]))
		}
	}
	stale, err := uploading.Stale(dir)
	for _, one := range stale {
		report.Files = append(report.Files, uploadFile{Name: one.Name, State: fileStale, Size: one.Remote.Size,
			Where: one.Remote.URL(), Uploaded: &one.Remote.Uploaded})
	}
	slices.SortStableFunc(report.Files, func(a, b uploadFile) int { return cmp.Compare(a.Name, b.Name) })
	return report, err
}

func uploadFileOf(f *store.File, begun uploading.Parts) uploadFile {
	told := uploadFile{Name: f.Name, Size: f.Committed, State: fileFinished}
	switch {
	case f.Remote != nil:
		told.State, told.Where, told.Uploaded = fileStored, f.Remote.URL(), &f.Remote.Uploaded
		if f.IsAway() {
			told.State = fileAway
		}
	case f.Missing:
		told.State = fileMissing
	case !f.Sealed:
		told.State = fileOpen
	case begun.Where != "":
		told.State, told.Where, told.Sent, told.Parts = fileUploading, begun.Where, begun.Sent, begun.Of
	}
	return told
}

// write writes it for a person.
func (r *uploadReport) write(out io.Writer) error {
	sums := map[string]*struct{ n, bytes int64 }{}
	table := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	for i := range r.Files {
		f := &r.Files[i]
		state := f.State
		if f.Parts > 0 {
			state = fmt.Sprintf("%s %d/%d", state, f.Sent, f.Parts)
		}
		where := f.Where
		if f.Uploaded != nil {
			where += " since " + moment(*f.Uploaded)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", printable(f.Name), state, humanize.Bytes(uint64(f.Size)), printable(where))
		if sums[f.State] == nil {
			sums[f.State] = new(struct{ n, bytes int64 })
		}
		sums[f.State].n++
		sums[f.State].bytes += f.Size
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, state := range []string{fileOpen, fileFinished, fileUploading, fileStored, fileAway, fileMissing,
		fileStale} {
		if sum := sums[state]; sum != nil {
			fmt.Fprintf(out, "%s: %s, %s\n", state, count(int(sum.n), "file"), humanize.Bytes(uint64(sum.bytes)))
		}
	}
	if now := r.Recorder; now != nil && now.LastText != "" {
		fmt.Fprintf(out, "the recorder says: %s\n", printable(now.LastText))
	}
	return nil
}
