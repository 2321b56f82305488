// Command gowarc prints what gowarc finds in WARC files, one line for each finding: file, offset of
// the record and the finding, with tabs between. Each record is read twice: with every check as a
// warning, so that all findings show, and strictly, so that what a warning passes over shows as
// well.
package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/nlnwa/gowarc"
)

// nothing is mended on the way: what is mended is not found.
var nothing = []gowarc.WarcRecordOption{
	gowarc.WithAddMissingContentLength(false),
	gowarc.WithAddMissingDigest(false),
	gowarc.WithAddMissingRecordId(false),
	gowarc.WithFixContentLength(false),
	gowarc.WithFixDigest(false),
	gowarc.WithFixSyntaxErrors(false),
	gowarc.WithFixWarcFieldsBlockErrors(false),
}

var (
	warn = append([]gowarc.WarcRecordOption{
		gowarc.WithSyntaxErrorPolicy(gowarc.ErrWarn),
		gowarc.WithSpecViolationPolicy(gowarc.ErrWarn),
		gowarc.WithUnknownRecordTypePolicy(gowarc.ErrWarn),
		gowarc.WithBlockErrorPolicy(gowarc.ErrWarn),
	}, nothing...)
	strict = append([]gowarc.WarcRecordOption{gowarc.WithStrictValidation()}, nothing...)
)

func main() {
	for _, file := range os.Args[1:] {
		if err := judge(file); err != nil {
			log.Fatal(err)
		}
	}
}

func judge(file string) error {
	reader, err := gowarc.NewWarcFileReader(file, 0, warn...)
	if err != nil {
		return err
	}
	defer reader.Close()
	records := 0
	for ; ; records++ {
		record, offset, validation, err := reader.Next()
		if errors.Is(err, io.EOF) && record == nil {
			break
		}
		if err == nil {
			err = record.ValidateDigest(validation)
			record.Close()
		}
		for _, finding := range *validation {
			report(file, offset, finding)
		}
		if err != nil {
			report(file, offset, err)
			break // where the next record begins is not known
		}
		if len(*validation) == 0 {
			if err := judgeStrictly(file, offset); err != nil {
				report(file, offset, fmt.Errorf("strict: %w", err))
			}
		}
	}
	fmt.Printf("%s\t-\t%d records\n", file, records)
	return nil
}

func judgeStrictly(file string, offset int64) error {
	reader, err := gowarc.NewWarcFileReader(file, offset, strict...)
	if err != nil {
		return err
	}
	defer reader.Close()
	record, _, validation, err := reader.Next()
	if err != nil {
		return err
	}
	defer record.Close()
	if err := record.ValidateDigest(validation); err != nil {
		return err
	}
	if !validation.Valid() {
		return validation
	}
	return nil
}

func report(file string, offset int64, finding error) {
	fmt.Printf("%s\t%d\t%s\n", file, offset, strings.Join(strings.Fields(finding.Error()), " "))
}
