package store
import ("testing";"os";"syscall";"fmt";"io";"time")
func cpu() time.Duration { var r syscall.Rusage; syscall.Getrusage(0,&r); return time.Duration(r.Utime.Nano()+r.Stime.Nano()) }
func TestZZ(t *testing.T){
 c0:=cpu(); b:=benchIndex(t,1_000_000); c1:=cpu()
 st,_:=os.Stat(b.db.Path())
 var s syscall.Stat_t; syscall.Stat(b.db.Path(),&s)
 fmt.Println("size/entry", float64(st.Size())/1e6, float64(s.Blocks*512)/1e6, "cpu us/put (10000/tx, incl. making)", float64((c1-c0).Nanoseconds())/1e9)
 w:=time.Now(); c0=cpu(); done,_:=b.Export(io.Discard,Query{},nil); fmt.Println(done, time.Since(w), "cpu ns/line", float64((cpu()-c0).Nanoseconds())/1e6)
 p:=b.db.Path(); b.Close(); w=time.Now(); b,err:=Open(p); fmt.Println("open",time.Since(w),err); b.Close()
 w=time.Now(); b,err=OpenReadOnly(p); fmt.Println("openro",time.Since(w),err); 
 w=time.Now(); c0=cpu();done,_=b.Export(io.Discard,Query{},nil); fmt.Println(done, time.Since(w), "cpu ns/line", float64((cpu()-c0).Nanoseconds())/1e6); b.Close()
}
