-- Part of the reads of messages: the size of headers and payload, estimated from their stored size (times the highest compression ratio)
-- without reading them. A message has one payload, so the size of payload_bytes is computed only if payload is null. The text of headers may have
-- eight times as many bytes, which makes a difference only if they are large.
coalesce(pg_catalog.pg_column_size(headers)
    * case pg_catalog.pg_column_compression(headers) when 'pglz' then 704 when 'lz4' then 2048
           else case when pg_catalog.pg_column_size(headers) > 500 then 8 else 1 end end, 0)
+ coalesce(pg_catalog.pg_column_size(payload)
    * case pg_catalog.pg_column_compression(payload) when 'pglz' then 88 when 'lz4' then 256 else 1 end,
    pg_catalog.pg_column_size(payload_bytes)
    * case pg_catalog.pg_column_compression(payload_bytes) when 'pglz' then 88 when 'lz4' then 256 else 1 end, 0)
