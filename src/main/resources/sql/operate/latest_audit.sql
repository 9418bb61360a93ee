-- Changes by people, newest first, with the originals of edited messages up to a total size. Served by outbox_audit_pkey.
select id, at, who, via, action, subscription, message, reason,
       case when sum(octet_length(detail::text)) over (order by id desc) <= :most::bigint then detail else detail - 'original'::text end as detail
  from (select *
          from outbox_audit
         where id < :before
         order by id desc
         limit :limit) as entry
 order by id desc
