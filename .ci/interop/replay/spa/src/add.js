export const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);
