import React, { useEffect, useState } from 'react';

// A worker, which is a module, fetches the numbers itself.
export default function Sum() {
  const [sum, setSum] = useState(null);
  useEffect(() => {
    const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }) => setSum(data);
    worker.postMessage('/api/heights.json?of=worker');
    return () => worker.terminate();
  }, []);
  return sum === null ? <p>…</p> : <p className="shown">The worker says {sum}.</p>;
}
