import java.io.FileInputStream;
import java.io.InputStream;
import java.util.Arrays;
import org.jwat.common.Diagnosis;
import org.jwat.common.Diagnostics;
import org.jwat.common.UriProfile;
import org.jwat.warc.WarcReader;
import org.jwat.warc.WarcReaderFactory;
import org.jwat.warc.WarcRecord;

/**
 * Prints what JWAT finds in WARC files, one line for each finding: file, offset of the record and
 * the finding, with tabs between.
 */
public class Validate {
    public static void main(String[] files) throws Exception {
        for (String file : files) {
            try (InputStream in = new FileInputStream(file);
                    WarcReader reader = WarcReaderFactory.getReader(in, 8192)) {
                reader.setBlockDigestEnabled(true);
                reader.setPayloadDigestEnabled(true);
                reader.setWarcTargetUriProfile(UriProfile.RFC3986);
                reader.setUriProfile(UriProfile.RFC3986);
                reader.setReportHttpHeaderErrors(true);
                int records = 0;
                for (WarcRecord record; (record = reader.getNextRecord()) != null; records++) {
                    record.close();
                    print(file, record.getStartOffset(), record.diagnostics);
                }
                print(file, -1, reader.diagnostics);
                if (!reader.isCompliant()) {
                    System.out.printf("%s\t-\tnot compliant%n", file);
                }
                System.out.printf("%s\t-\t%d records%n", file, records);
            }
        }
    }

    static void print(String file, long offset, Diagnostics findings) {
        for (Diagnosis d : findings.getErrors()) {
            print(file, offset, "error", d);
        }
        for (Diagnosis d : findings.getWarnings()) {
            print(file, offset, "warning", d);
        }
    }

    static void print(String file, long offset, String kind, Diagnosis d) {
        System.out.printf("%s\t%s\t%s %s %s %s%n", file, offset < 0 ? "-" : Long.toString(offset), kind,
                d.type, d.entity, Arrays.toString(d.information).replaceAll("\\s+", " "));
    }
}
