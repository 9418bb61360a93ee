package dev.caravan.camel.headers;

import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpRequestInterceptor;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.apache.hc.core5.http.protocol.HttpContext;

/** Sets the content type of a body of bytes that has none: {@code application/octet-stream}. */
final class TypeOfBytes implements HttpRequestInterceptor {
    @Override
    public void process(HttpRequest request, EntityDetails entity, HttpContext context) {
        boolean isEmpty = entity == null || entity.getContentLength() == 0;
        if (!isEmpty && entity.getContentType() == null && !(entity instanceof StringEntity)) {
            request.setHeader(HttpHeaders.CONTENT_TYPE, "application/octet-stream");
        }
    }
}
