package visiting

import (
	"math"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"warcorder/cmd/browser/devtools"
)

// Picture is what a page looks like. The kinds are those of browsertrix-crawler, whose viewers look
// for them: urn:KIND:URL.
//
//	view       the first screen, PNG
//	fullPage   from top to bottom, as far as mostHeight, PNG; none if it is the same
//	thumbnail  the first screen, thumbnailWidth wide, JPEG
type Picture struct {
	Kind, Type string // Type is image/png or image/jpeg
	Bytes      []byte
}

// mostHeight is how much of a page a picture shows, in pixels: with the width of the window and three
// bytes a pixel it is a message of the browser even if nothing of it can be compressed.
const mostHeight = 8000

const (
	thumbnailWidth   = 640
	thumbnailQuality = 75
)

// picture takes the pictures, each with a patience of its own.
func (t *tab) picture(v *Visit) {
	ctx, cancel := t.patience()
	devtools.Send(t.session, page.BringToFront, cdp.Empty{})
	size, err := devtools.Call(ctx, t.session, page.GetLayoutMetrics, cdp.Empty{})
	cancel()
	if err != nil || size.CSSContentSize == nil {
		t.noPicture(v, err)
		return
	}
	t.take(v, Picture{Kind: "view", Type: "image/png"}, page.CaptureScreenshotParams{})
	quality := int64(thumbnailQuality)
	t.take(v, Picture{Kind: "thumbnail", Type: "image/jpeg"}, page.CaptureScreenshotParams{
		Format: page.CaptureScreenshotFormatJpeg, Quality: &quality,
		Clip: &page.Viewport{Width: viewWidth, Height: viewHeight, Scale: thumbnailWidth / float64(viewWidth)},
	})
	if all := math.Min(size.CSSContentSize.Height, mostHeight); all > viewHeight {
		yes := true
		t.take(v, Picture{Kind: "fullPage", Type: "image/png"}, page.CaptureScreenshotParams{
			Clip: &page.Viewport{Width: viewWidth, Height: all, Scale: 1}, CaptureBeyondViewport: &yes,
		})
	}
	if size.CSSContentSize.Height > mostHeight {
		v.remark("its picture was cut at %d pixels", mostHeight)
	}
}

// take adds one.
func (t *tab) take(v *Visit, p Picture, how page.CaptureScreenshotParams) {
	ctx, cancel := t.patience()
	defer cancel()
	got, err := devtools.Call(ctx, t.session, page.CaptureScreenshot, how)
	if err != nil {
		t.noPicture(v, err)
		return
	}
	p.Bytes = got.Data
	v.Pictures = append(v.Pictures, p)
}

// noPicture says that there is none, unless the tab says why.
func (t *tab) noPicture(v *Visit, err error) {
	if t.ctx.Err() == nil {
		v.fault("there is no picture of it: %v", err)
	}
}
