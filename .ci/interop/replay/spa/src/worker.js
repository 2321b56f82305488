import { sum } from './add.js';

onmessage = async ({ data }) => {
  const answer = await fetch(data);
  postMessage(sum(await answer.json()));
};
