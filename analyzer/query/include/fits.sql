-- fits: of each rank in a communicator, the clock against the one of its lowest
-- rank: offset_ns at the communicator's first end, and drift. All leave an
-- all_reduce at once, so that differences of ends are those of clocks; medians
-- of the first and the last third make the line. Needs: taken.
leaders AS (
  SELECT run, communicator, lane, min(rank) AS leader
  FROM taken GROUP BY run, communicator, lane),
leader_ends AS (
  SELECT t.run, t.communicator, t.lane, t.kind, t.nth,
    min(t.end_ns) AS leader_ns
  FROM taken t JOIN leaders l
    ON t.run = l.run AND t.communicator = l.communicator AND t.lane = l.lane
    AND t.rank = l.leader
  WHERE t.kind IN ('all_reduce', 'all_gather', 'reduce_scatter', 'all_to_all',
                   'send_recv') AND t.end_ns IS NOT NULL
  GROUP BY t.run, t.communicator, t.lane, t.kind, t.nth),
spans AS (
  SELECT run, communicator, lane, min(leader_ns) AS first_ns,
    max(leader_ns) - min(leader_ns) AS span_ns
  FROM leader_ends GROUP BY run, communicator, lane),
differences AS (
  SELECT t.run, t.communicator, t.lane, t.rank, s.span_ns,
    CAST(e.leader_ns - s.first_ns AS DOUBLE) AS since_ns,
    CAST(t.end_ns - e.leader_ns AS DOUBLE) AS difference_ns
  FROM taken t
  JOIN leader_ends e ON t.run = e.run AND t.communicator = e.communicator
    AND t.lane = e.lane AND t.kind = e.kind AND t.nth = e.nth
  JOIN spans s ON t.run = s.run AND t.communicator = s.communicator
    AND t.lane = s.lane
  WHERE t.end_ns IS NOT NULL),
thirds AS (
  SELECT run, communicator, lane, rank, count(*) AS ends,
    median(difference_ns) AS middle_ns,
    median(CASE WHEN since_ns * 3 <= span_ns THEN difference_ns END)
      AS early_ns,
    median(CASE WHEN since_ns * 3 <= span_ns THEN since_ns END) AS early_at,
    median(CASE WHEN since_ns * 3 >= span_ns * 2 THEN difference_ns END)
      AS late_ns,
    median(CASE WHEN since_ns * 3 >= span_ns * 2 THEN since_ns END) AS late_at
  FROM differences GROUP BY run, communicator, lane, rank),
slopes AS (
  SELECT run, communicator, lane, rank, ends, middle_ns, early_ns, early_at,
    CASE WHEN ends >= 8 AND late_at > early_at
      THEN (late_ns - early_ns) / (late_at - early_at) END AS slope
  FROM thirds),
fits AS (
  SELECT run, communicator, lane, rank, ends, coalesce(slope, 0e0) AS drift,
    CASE WHEN slope IS NULL THEN middle_ns ELSE early_ns - slope * early_at END
      AS offset_ns
  FROM slopes)
