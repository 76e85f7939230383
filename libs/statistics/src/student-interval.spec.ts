import { studentInterval, studentQuantile } from './student-interval.js';

describe("Student's interval", () => {
  it('is the mean and t standard errors to each side', () => {
    // Mean 3, standard deviation √2.5, t of 4 degrees 2.776.
    const [low, high] = studentInterval([1, 2, 3, 4, 5])!;
    expect(low).toBeCloseTo(3 - 2.776 * Math.sqrt(0.5), 12);
    expect(high).toBeCloseTo(3 + 2.776 * Math.sqrt(0.5), 12);
  });

  it('knows nothing of one value, and is a point for equal ones', () => {
    expect(studentInterval([])).toBeNull();
    expect(studentInterval([0.4])).toBeNull();
    expect(studentInterval([0.5, 0.5])).toEqual([0.5, 0.5]);
  });

  it('has the quantile of 10 degrees for more', () => {
    expect([1, 9, 10, 11, 500].map(studentQuantile)).toEqual([12.706, 2.262, 2.228, 2.228, 2.228]);
  });
});
