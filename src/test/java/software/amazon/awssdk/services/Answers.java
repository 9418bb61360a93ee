package software.amazon.awssdk.services;

import java.util.List;

/** Answers with the names of those of the AWS clients, which are not among the libraries of the tests. */
public final class Answers {
    private Answers() {}

    /** Of SQS. */
    public record SendMessageBatchResponse(List<String> successful, List<String> failed) {}

    /** Of EventBridge. */
    public record PutEventsResponse(Integer failedEntryCount, List<String> entries) {}

    /** Of EventBridge. */
    public record PutEventsRequest(List<String> entries) {}

    /** Of Firehose. */
    public record PutRecordBatchResponse(Integer failedPutCount, List<String> requestResponses) {}

    /** Of S3. */
    public record PutObjectResponse(String eTag) {}
}
