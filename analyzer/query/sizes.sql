-- question: How large are messages, how many are there, how long do members wait, and how fast are those of each size?
-- example: dltap query DATASET sizes
-- parameter: run text "" of this run only; empty: of all
-- parameter: from_step integer 0 first step
-- parameter: to_step integer 1000000000 last step
-- uses: collectives devices runs
WITH
{{include taken}},
{{include step_places}},
{{include fits}},
{{include arrivals}},
-- A table of GPUs knows the link inside a host alone.
places AS (
  SELECT f.run, f.communicator, count(DISTINCT r.host) AS hosts,
    count(DISTINCT d.rank) AS known, count(DISTINCT f.rank) AS members,
    min(d.link_bytes_per_s) AS link_bytes_per_s
  FROM fits f
  JOIN runs r ON f.run = r.run AND f.rank = r.rank
  LEFT JOIN devices d ON f.run = d.run AND f.rank = d.rank
    AND d.link_bytes_per_s IS NOT NULL
  GROUP BY f.run, f.communicator),
sized AS (
  SELECT m.run, m.kind, m.members, m.transfer_ns, m.bytes, m.communicator,
    m.last_at - m.mean_at AS wait_ns,
    CASE WHEN m.bytes > 0 THEN
      CAST(floor(ln(m.bytes * 1.0000001e0) / ln(2e0)) AS BIGINT) END AS power,
    CASE WHEN p.hosts = 1 AND p.known = p.members
      THEN p.link_bytes_per_s END AS link_bytes_per_s
  FROM met m LEFT JOIN places p ON m.run = p.run
    AND m.communicator = p.communicator),
grouped AS (
  SELECT run, kind, members, power, count(*) AS n,
    count(DISTINCT communicator) AS communicators, sum(bytes) AS bytes,
    median(transfer_ns) AS transfer_ns, avg(wait_ns) AS wait_ns,
    sum(wait_ns) AS all_wait_ns, sum(transfer_ns) AS all_transfer_ns,
    sum(CASE WHEN transfer_ns > 0 THEN bytes END) AS moved_bytes,
    CASE WHEN count(link_bytes_per_s) = count(*)
      THEN min(link_bytes_per_s) END AS link_bytes_per_s,
    CASE
      WHEN kind = 'all_reduce' THEN 2e0 * (members - 1) / members
      WHEN kind IN ('all_gather', 'reduce_scatter', 'all_to_all')
        THEN (members - 1e0) / members
      ELSE 1e0 END AS bus
  FROM sized GROUP BY run, kind, members, power)
SELECT run, kind, members, CAST(pow(2e0, power) AS BIGINT) AS from_bytes,
  n AS collectives, communicators, CAST(bytes AS BIGINT) AS bytes,
  round(transfer_ns / 1e3, 3) AS transfer_us,
  round(wait_ns / 1e3, 3) AS mean_wait_us,
  round(all_wait_ns / NULLIF(all_wait_ns + all_transfer_ns, 0e0), 4)
    AS wait_share,
  round(moved_bytes / NULLIF(all_transfer_ns, 0e0), 3) AS algorithm_gb_per_s,
  round(bus * moved_bytes / NULLIF(all_transfer_ns, 0e0), 3) AS bus_gb_per_s,
  round(bus * moved_bytes * 1e9 /
    NULLIF(all_transfer_ns * link_bytes_per_s, 0e0), 4) AS share_of_link
FROM grouped
ORDER BY run, kind, members, from_bytes NULLS FIRST
