"""The names that mail clients of many languages write before a quoted message's headers. Lower case."""

from __future__ import annotations

from .phrases import phrases

FROM = phrases(
    """
    from | von | de | da | van | från | fra | lähettäjä | od | kimden | gönderen | от | від | από | feladó |
    expeditor | de la | 差出人 | 送信者 | 보낸 사람 | 보낸사람 | 发件人 | 寄件者 | 寄件人 | מאת | من | expéditeur |
    remitente | mittente | remetente | afzender | avsändare | avsender | afsender | absender | odesílatel |
    nadawca | отправитель | відправник | αποστολέας | küldő | 发信人 | 發件人 | 보낸이 | المرسل | từ | người gửi |
    จาก | ผู้ส่ง | dari | pengirim | daripada | प्रेषक | से | از | فرستنده | подател | пошиљалац | šalje |
    pošiljatelj | odosielateľ | nuo | saatja | sendandi | frá | 발신 | 발신자
    """
)
SENT = phrases(
    """
    sent | date | gesendet | datum | envoyé | date d'envoi | enviado | enviado el | enviada | enviada em |
    enviado em | fecha | inviato | data | verzonden | skickat | sendt | dato | lähetetty | päivämäärä | päiväys |
    pvm | wysłano | data wysłania | odesláno | gönderildi | gönderilen | tarih | gönderim | отправлено | дата |
    надіслано | εστάλη | στάλθηκε | ημερομηνία | elküldve | dátum | küldve | trimis | 送信日時 | 日時 | 日付 |
    送信日 | 보낸 날짜 | 날짜 | 보낸날짜 | 发送时间 | 发送日期 | 日期 | 時間 | 寄件日期 | 傳送日期 | 时间 | נשלח |
    תאריך | تاريخ | تم الإرسال | التاريخ | sendedato | odoslané | poslano | trimis la | date sent | enviat |
    发件日期 | đã gửi | gửi | ngày | ส่ง | ส่งเมื่อ | วันที่ | dikirim | terkirim | tanggal | dihantar | tarikh |
    भेजा गया | दिनांक | तारीख | ارسال شده | ارسال‌شده | تاریخ | ارسال | изпратено | дата на изпращане | послато |
    датум | poslato | išsiųsta | nosūtīts | saadetud | sent þann | dagsetning | 발송 | 보낸 시간 | 寄件時間
    """
)
TO = phrases(
    """
    to | an | à | a | para | aan | till | til | vastaanottaja | do | komu | kime | alıcı | кому | προς | címzett |
    către | catre | 宛先 | 받는 사람 | 받는사람 | 收件人 | 收件者 | אל | إلى | الى | destinataire | destinatario |
    destinatário | geadresseerde | mottagare | mottaker | modtager | empfänger | příjemce | odbiorca | получатель |
    одержувач | παραλήπτης | 받는이 | المستلم | per | đến | tới | người nhận | ถึง | ผู้รับ | kepada | ke | untuk |
    प्रति | को | به | گیرنده | получател | прималац | za | prejemnik | príjemca | kam | saaja | móttakandi | 수신 |
    받은 사람
    """
)
SUBJECT = phrases(
    """
    subject | betreff | objet | asunto | assunto | oggetto | onderwerp | ämne | emne | aihe | temat | předmět |
    konu | тема | θέμα | tárgy | subiect | 件名 | 제목 | 主题 | 主旨 | 主題 | נושא | الموضوع | موضوع | chủ đề |
    tiêu đề | เรื่อง | หัวเรื่อง | ชื่อเรื่อง | subjek | perihal | judul | विषय | относно | predmet | zadeva |
    tema | temats | teema | efni | assumpte
    """
)
OTHER = phrases(
    """
    cc | bcc | kopie | kopia | kopi | kopio | copie | copia | cópia | copie à | copie carbone | cc à | dw | udw |
    kopia do | kopie (cc) | bilgi | копия | копія | κοιν | κοιν. | κοινοποίηση | másolat | másolatot kap | ccn |
    cci | 抄送 | 副本 | 参照 | 참조 | cc: | עותק | نسخة | نسخة إلى | importance | wichtigkeit | importancia |
    importanza | priorité | priority | prioriteit | prioritet | belang | reply-to | antwort an | répondre à |
    responder a | rispondi a | reply to | attachments | anlagen | anhänge | pièces jointes | adjuntos | allegati |
    bijlagen | bilagor | bilag | vedlegg | liitteet | załączniki | přílohy | вложения | 重要度 | 添付ファイル |
    organization | organisation | x-mailer | message-id | signed by | sensitivity | cópia para
    """
)

ALL = FROM | SENT | TO | SUBJECT | OTHER
